/// Replaces a part of swift-argument-parser in the program that the tests start: see the function.
void uncheckedOptions(void);
