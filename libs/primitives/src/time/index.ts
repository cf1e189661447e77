export { CLOCK_SKEW_SECONDS } from './clock-skew';
export { dateTimePattern, isDateTime, latestDateTime, wholeSeconds } from './date-time';
export { type CurrentDeadline, Deadline, noDeadline, onEnd, remaining } from './deadline';
export { durationPattern, isDuration, lastsAtMost, longestDurationText, plusDuration } from './duration';
export { retentionRule } from './retention';
