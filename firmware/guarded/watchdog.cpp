#include "watchdog.h"

#include <avr/io.h>
#include <avr/wdt.h>

// After resetting the board, the watchdog keeps running with its shortest period while WDRF is set
// (data sheet, "Watchdog System Reset"). So it must be disabled before anything that takes time.
// Optiboot also does this, but not every board has Optiboot.
static void stopAtReset() __attribute__((naked, used, section(".init3")));

static void stopAtReset() {
  MCUSR = 0;
  wdt_disable();
}

void watchdog::start() { wdt_enable(WDTO_60MS); }

void watchdog::feed() { wdt_reset(); }
