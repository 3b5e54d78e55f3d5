// Sleeps until there is something to do.
#pragma once

#include <stdint.h>

namespace rest {

void begin();

// Sleeps until the next interrupt, which occurs within 1.024 ms (the core's clock), but at most
// until `wait` microseconds after `now`, which is a value of micros(). Does not sleep if a byte is
// waiting or that time has passed.
void until(uint32_t now, uint32_t wait);

}  // namespace rest
