export { isDateTime, latestDateTime, wholeSeconds } from './date-time';
export { type CurrentDeadline, type Deadline, noDeadline, onEnd, remaining } from './deadline';
export { isDuration, lastsAtMost, plusDuration } from './duration';
