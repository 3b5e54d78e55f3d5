@_exported public import SentryBenchModels
