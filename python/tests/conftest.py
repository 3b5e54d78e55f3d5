"""What the tests share. The program is the one that `sentrybench.program` finds."""

pytest_plugins = ["pytester"]
