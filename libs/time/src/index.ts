export { isDuration, lastsAtMost, plusDuration } from './duration';
export { isDateTime, latestDateTime, wholeSeconds } from './date-time';
