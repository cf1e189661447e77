export { allThere, attempt, type Awaitable, whenThere } from './awaitable';
