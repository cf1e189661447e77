export { allThere, attempt, type Awaitable, inLanes, whenThere } from './awaitable';
