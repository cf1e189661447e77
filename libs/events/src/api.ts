export {
  publicEventOf,
  publicEventTypes,
  publishedStoredTypes,
  subjectPattern,
  type PublicEvent,
} from './public-event';
