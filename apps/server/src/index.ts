export { productVersion } from './version';
