#include "UncheckedOptions.h"

// In debug builds, swift-argument-parser checks the declaration of a group of options whenever it
// uses it, and those of the groups within it four times each. So the checks take up to a second of
// each start of the program, and the tests start it more than a thousand times. With the linker's
// option --wrap=SYMBOL (Package.swift), ParsableArguments._validate(parent:) is this function.
//
// It takes its arguments in registers, and leaves that for an error as it is: empty.
#ifdef __linux__
void uncheckedOptions(void) __asm__(
    "__wrap_$s14ArgumentParser17ParsableArgumentsPAAE9_validate6parentyAA8InputKeyVSg_tKFZ");
#endif

void uncheckedOptions(void) {}
