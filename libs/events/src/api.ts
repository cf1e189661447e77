export { publicEventOf, publicEventTypes, type PublicEvent } from './public-event';
