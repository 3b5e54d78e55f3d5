// Resets the board if the main loop hangs.
#pragma once

namespace watchdog {

// After this, feed() must be called at least every 60 ms.
void start();
void feed();

}  // namespace watchdog
