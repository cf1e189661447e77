export { apart } from './apart';
export { Turns } from './turns';
