export { Described, type ControllerDescription, type Schema } from './description';
export { type DocumentInfo, openApiDocument } from './document';
export { KnownQueryGuard } from './known-query.guard';
export { closedObject, dateTime, listOf, pageParameters, reference, timeline } from './schemas';
