
$""
ExtensionRangeOptions*	è€€€‚