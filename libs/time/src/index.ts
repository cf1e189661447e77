export { CLOCK_SKEW_SECONDS } from './clock-skew';
export { isDateTime, latestDateTime, wholeSeconds } from './date-time';
export { type CurrentDeadline, Deadline, noDeadline, onEnd, remaining } from './deadline';
export { isDuration, lastsAtMost, plusDuration } from './duration';
