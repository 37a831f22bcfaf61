"""Check the models in a bucket with Dask: each file is read and checked where a worker of Dask runs.

python examples/check_bucket.py s3://models/ 's3://models/**.pb'

The first argument is the bucket or a folder in it, as fsspec names it (file://, s3://, gs://, hdfs://); the second one,
a pattern, chooses files. With a `dask.distributed.Client`, the same lines run on a cluster.
"""

import sys
from fnmatch import fnmatch

import dask.bag
import fsspec

import tfmodel


def verdict(url: str) -> str:
    """Return the line of one file. Bytes are recognized by their content, as files are."""
    with fsspec.open(url, "rb") as file:
        data = file.read()
    try:
        return f"{url}: {tfmodel.check(data).headline()}"
    except tfmodel.Error as error:  # everything that a damaged file can raise
        return f"{url}: cannot be read: {error}"


def main(bucket: str, pattern: str = "*") -> None:
    filesystem, folder = fsspec.url_to_fs(bucket)
    urls = [filesystem.unstrip_protocol(path) for path in sorted(filesystem.find(folder))]
    chosen = [url for url in urls if fnmatch(url, pattern)]
    for line in dask.bag.from_sequence(chosen, partition_size=100).map(verdict).compute() if chosen else []:
        print(line)


if __name__ == "__main__":
    main(*sys.argv[1:])
