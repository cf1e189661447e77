export { urlOf } from './url-of';
