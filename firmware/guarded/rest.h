// Sleep, until there is something to do.
#pragma once

#include <stdint.h>

namespace rest {

void begin();

// Sleeps until the next interrupt, which comes after 1.024 ms at the latest (the core's clock), or
// when `wait` microseconds after `now`, as micros() has it, are over. Does not sleep at all when a
// byte waits or the time is past.
void until(uint32_t now, uint32_t wait);

}  // namespace rest
