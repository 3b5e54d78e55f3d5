// Resets the board when the main loop hangs.
#pragma once

namespace watchdog {

// From now on feed() must be called every 60 ms.
void start();
void feed();

}  // namespace watchdog
