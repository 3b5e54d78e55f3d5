// The buzzer on pin 11. Timer 2 toggles the pin without an interrupt.
#pragma once

#include <stdint.h>

namespace buzzer {

void attach();

// Starts a tone of 700, 750, 800 or 900 Hz, which replaces the present one. Any other value stops
// the tone.
void sound(uint16_t hertz);

}  // namespace buzzer
