"""The plugin for all tests. The program is the one that `sentrybench.program` finds."""

pytest_plugins = ["pytester"]
