// Has the classic sketch use the servo library of this folder in place of ours.
#pragma once

#include "Servo.h"

typedef Servo SentryServo;
