export { releaseLock, takeLock } from './database/advisory-lock';
export type {
  Aggregate,
  Decision,
  DomainEvent,
  FoundStream,
  IssueListQuery,
  Listed,
  StreamListQuery,
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
} from './streams/aggregate';
export { type Attribution, type AuditEntry, type ChangedStream, ownWork } from './append/attribution';
export { auditFilters, type AuditPageQuery, hasAudit, listAudit, recordAudit } from './audit-table';
export type { ClockWatch } from './database/clock-watch';
export { connectionRemedy } from './database/connection-remedy';
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
export { readDurability } from './database/durability';
export { DueExpiries } from './subscriptions/due-expiries';
export { DueErasures } from './erasure/due-erasures';
export type { EventLog, EventPage, PlacedEvent } from './subscriptions/event-log';
export { followWhile } from './subscriptions/follow-while';
export {
  type Erasable,
  type ErasureCause,
  erasePersonalData,
  erasureEvent,
  type PersonalDataErased,
} from './erasure/personal-data-erased';
export { type Backlog, EventStore, type Lag } from './event-store';
export {
  type RoleRight,
  roleRights,
  grantStatements,
  hasRole,
  missingRights,
  quoted,
  rightsOverHistory,
  schemaOfTables,
} from './database/grants';
export { GroupRead } from './streams/group-read';
export { HeldMarks, PendingMarks } from './streams/held-marks';
export { historyMark, presentHistory } from './streams/history-mark';
export { migrate, schemaVersions } from './database/migrate';
export { refuseNewer, shapeVersions, shapeVersionOf, withoutVersion, withVersion } from './streams/named-version';
export { othersConnected } from './database/other-processes';
export { assertPartitionable, PartitioningError, partitionsOf, partitionTables } from './database/partitions';
export type { Prover, Provers } from './proofs/proofs';
export { isWrittenByService, type SingleEvent } from './proofs/proven-events';
export { CheckpointTaker, lastCheckpoint } from './proofs/checkpoint-taker';
export { defaultPoolSize } from './database/postgres.driver';
export type { AppendedStream, AppendOutcome, StoreObserver } from './store-observer';
export { versionsOfFew } from './lists/few-streams';
export type { Finding, Watch } from './passes/verification-finding';
export type { RangeResult, RangeWorker, Reached, StreamRange, LongWork } from './passes/stream-ranges';
export type { Publication } from './streams/publication';
export { roughCount } from './database/rough-count';
export type { Continued } from './verification/streams-since';
export type { Verified } from './verification/verify';
export { adoptRestoredHistory } from './rebuild/restored-server';
export { type BatchHandler, type EventHandler, type Subscription } from './subscriptions/subscription';
export {
  connectDriver,
  EventStoreModule,
  furtherStoresOf,
  openDriver,
  type EventStoreAsyncOptions,
  type EventStoreOptions,
} from './event-store.module';
export {
  type ConnectionCounts,
  SQL_DRIVER,
  STORE_DRIVER,
  SqlError,
  type SqlDriver,
  type SqlExecutor,
  type SqlSession,
  type SqlTransaction,
  type Statement,
} from './database/sql-driver';
export { type CommitPosition, firstPosition, isBehind } from './subscriptions/subscription-position';
export { storeIdentity } from './database/store-identity';
export { namedStores, Stores, type StoreStanding } from './database/stores';
export {
  assertCopied,
  copyRows,
  handledAll,
  holdBack,
  ownsTables,
  removeRows,
  TenantMoveError,
  type TenantRows,
} from './moves/move-tables';
export { lastPosition, type MovedTable } from './moves/moved-table';
export { type TenantArrival, tenantArrivals } from './database/moved-tenants';
export { instant } from './database/sql-instant';
export { subscriptionLags } from './subscriptions/subscription-lag';
export { aggregateOf, idOf, markOf, storedNameOf } from './streams/stored-event';
export { timeAfter } from './streams/time-after';
export { tryWrite, type WriteFault } from './database/write-probe';
export { WatchedDriver } from './database/watched.driver';
export { hashOfStream } from './erasure-keys/erased-streams';
export { ErasureFollower } from './erasure-keys/erasure-follower';
export { forgetDatabase, noteDatabase, notedDatabase, noteReplayed } from './erasure-keys/erasure-key-database';
export { ErasureKeys } from './erasure-keys/erasure-keys';
export { ERASURE_KEYS, ErasureKeysModule } from './erasure-keys/erasure-keys.module';
export { recordedErasures } from './erasure-keys/erasure-records';
export {
  assertComplete,
  assertOwn,
  connectErasureKeys,
  erasureKeyRights,
  ErasureKeysError,
  erasureKeyVersions,
  migrateErasureKeys,
} from './erasure-keys/open-erasure-keys';
export { erasuresKnownIn, type ErasureTimes, erasureTimesOf, streamsToErase } from './erasure-keys/replay';
