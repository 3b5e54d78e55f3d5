#include "watchdog.h"

#include <avr/io.h>
#include <avr/wdt.h>

// After it has reset the board the watchdog goes on, at its shortest time, for as long as WDRF is
// set (data sheet, "Watchdog System Reset"): off with it before anything takes time. Optiboot does
// so too, but not every board has it.
static void stopAtReset() __attribute__((naked, used, section(".init3")));

static void stopAtReset() {
  MCUSR = 0;
  wdt_disable();
}

void watchdog::start() { wdt_enable(WDTO_60MS); }

void watchdog::feed() { wdt_reset(); }
