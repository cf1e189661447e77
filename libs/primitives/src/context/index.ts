export { apart } from './apart';
export { allThere, attempt, type Awaitable, whenThere } from './awaitable';
export { Turns } from './turns';
