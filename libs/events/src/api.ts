export { anyEvent, eventSchema } from './event-schemas';
export {
  publicEventOf,
  publicEventTypes,
  publishedStoredTypes,
  subjectPattern,
  type PublicEvent,
} from './public-event';
