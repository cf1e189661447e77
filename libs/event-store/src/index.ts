export { takeLock } from './advisory-lock';
export type {
  Aggregate,
  Decision,
  DomainEvent,
  Found,
  IssueListQuery,
  Listed,
  ListQuery,
  Loaded,
  Page,
  RecordedData,
  Repository,
  Saved,
  SaveOptions,
  SingleUse,
  StateListQuery,
  StatusRange,
  StoredEvent,
  TimeRange,
  UpdateOptions,
} from './aggregate';
export { type Attribution, type AuditEntry, type ChangedStream, ownWork } from './attribution';
export { auditFilters, type AuditQuery, hasAudit, listAudit, recordAudit } from './audit-table';
export type { ClockWatch } from './clock-watch';
export { connectionRemedy } from './connection-remedy';
export {
  AlreadyConsumedError,
  AuditUnavailableError,
  ConflictError,
  InvalidCursorError,
  isOfNewerRelease,
  NewerVersionError,
  OutcomeUnknownError,
  StoreUnavailableError,
} from './errors';
export { readDurability } from './durability';
export { DueExpiries } from './due-expiries';
export { DueErasures } from './due-erasures';
export type { EventLog, EventPage, PlacedEvent } from './event-log';
export { followWhile } from './follow-while';
export {
  type Erasable,
  type ErasureCause,
  erasePersonalData,
  erasureEvent,
  type PersonalDataErased,
} from './personal-data-erased';
export { type Backlog, EventStore } from './event-store';
export {
  type Grant,
  grants,
  grantStatements,
  hasRole,
  missingRights,
  quoted,
  rightsOverHistory,
  schemaOfTables,
} from './grants';
export { GroupRead } from './group-read';
export { HeldMarks } from './held-marks';
export { historyMark, presentHistory } from './history-mark';
export { migrate, schemaVersions } from './migrate';
export { refuseNewer, shapeVersions, versionOf, withoutVersion, withVersion } from './named-version';
export { othersConnected } from './others-connected';
export { assertPartitionable, PartitioningError, partitionsOf, partitionTables } from './partitions';
export type { Prover, Provers } from './proofs';
export { isWrittenByService, type SingleEvent } from './proven-events';
export { CheckpointTaker, lastCheckpoint } from './checkpoint-taker';
export { defaultPoolSize } from './postgres.driver';
export type { AppendedStream, AppendOutcome, StoreObserver } from './store-observer';
export type { Finding, Watch } from './finding';
export type { RangeResult, RangeWorker, Reached, StreamRange } from './stream-ranges';
export type { Publication } from './publication';
export { roughCount } from './rough-count';
export type { Continued } from './streams-since';
export type { LongWork, Verified } from './verify';
export { adoptRestoredHistory } from './restored-server';
export { type BatchHandler, type EventHandler, type Subscription } from './subscription';
export {
  connectDriver,
  EventStoreModule,
  openDriver,
  type EventStoreAsyncOptions,
  type EventStoreOptions,
} from './event-store.module';
export {
  type ConnectionCounts,
  SQL_DRIVER,
  SqlError,
  type SqlDriver,
  type SqlExecutor,
  type SqlSession,
  type SqlTransaction,
  type Statement,
} from './sql-driver';
export { type CommitPosition, firstPosition, isBehind } from './subscription-position';
export { instant } from './sql-instant';
export { subscriptionLags } from './subscription-lag';
export { timeAfter } from './time-after';
export { tryWrite, type WriteFault } from './write-probe';
export { WatchedDriver } from './watched.driver';
