// Makes the classic sketch use this folder's servo library instead of ours.
#pragma once

#include "Servo.h"

typedef Servo SentryServo;
