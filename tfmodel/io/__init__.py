"""Files: finding, recognizing, loading and saving models, and writing arrays.

It imports messages, dtypes and pbwire, and nothing above them; `tfmodel.load` and `tfmodel.save` lead here, and every
package that opens or writes a file calls it.
"""
