import { AuthenticationModule } from '@app/access';
import { CertificatesModule, IdentityModule, TrustModule } from '@app/identity';
import { Settings, SettingsModule } from '@app/config';
import { OperationsModule, IdempotencyModule, RateLimitsModule, currentDeadline, currentRequester } from '@app/http';
import { ERASURE_KEYS, ErasureKeysModule, EventStoreModule } from '@app/event-store';
import { Authenticator, KeysModule, ProofKeys, Sealer, signingPolicy } from '@app/keys';
import { Metrics } from '@app/observability';
import { OutboundModule } from '@app/outbound';
import { PagesModule } from '@app/pages';
import { remaining } from '@app/primitives/time';
import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule, QueryBus } from '@nestjs/cqrs';
import { BackgroundThread } from './background-thread';
import { DirectQueryBus } from './direct-query-bus';
import { HttpModule } from './http.module';
import { Instrumentation } from './instrumentation';
import { managementModules } from './modules';

/**
 * What an application does: everything; what requests ask for, while a thread does the rest; or the rest, without listeners. On an embedded
 * database the second is the first.
 */
export type Role = 'everything' | 'requests' | 'background';

/** Connections of a thread of the background. */
const backgroundConnections = 4;

/** The table of contents: the platform first, then the business. */
@Module({})
export class ServerModule {
  /** @param environment the settings of a test; the process's own environment when absent */
  static forRoot(environment?: Readonly<Record<string, string | undefined>>, role: Role = 'everything'): DynamicModule {
    return {
      module: ServerModule,
      imports: [
        SettingsModule.forRoot(environment),
        EventStoreModule.forRootAsync({
          inject: [Settings],
          useFactory: ({ eventStore: { type, connectionString } }: Settings) =>
            type === 'postgres'
              ? { type, connectionString, poolSize: role === 'background' ? backgroundConnections : undefined }
              : { type, directory: connectionString },
          deadline: currentDeadline,
          provers: ProofKeys,
          leavesBackground: role === 'requests',
          furtherStores: ({ stores: { directory } }: Settings) => ({
            directory,
            poolSize: role === 'background' ? backgroundConnections : undefined,
          }),
        }),
        ErasureKeysModule.forRootAsync({
          inject: [Settings],
          useFactory: ({ erasureKeys }: Settings) => erasureKeys.connectionString,
          deadline: currentDeadline,
        }),
        KeysModule.forRootAsync({
          inject: [Settings],
          useFactory: ({ secretManager }: Settings) => secretManager.strongholdPassword,
          erasureKeys: ERASURE_KEYS,
          // The background signs checkpoints alone.
          ...(role !== 'background' && {
            signing: {
              inject: [Settings],
              useFactory: ({ signer }: Settings) => signingPolicy(signer, () => remaining(currentDeadline())),
            },
          }),
        }),
        OutboundModule.forRootAsync({
          inject: [Settings, Metrics],
          useFactory: ({ outbound }: Settings, metrics: Metrics) => ({
            allowPrivateHosts: outbound.allowPrivateHosts,
            remainingMs: () => remaining(currentDeadline()),
            requester: currentRequester,
            onBusy: (purpose) => {
              metrics.outboundBusy(purpose);
            },
          }),
        }),
        RateLimitsModule.forRootAsync({
          inject: [Settings],
          useFactory: ({ rateLimits }: Settings) => rateLimits.enabled,
        }),
        AuthenticationModule,
        messageBuses(),
        TrustModule,
        CertificatesModule,
        IdentityModule,
        HttpModule,
        IdempotencyModule.forRoot({ hashes: Authenticator, seals: Sealer }),
        PagesModule,
        OperationsModule,
        ...managementModules,
      ],
      providers: [Instrumentation, ...(role === 'requests' ? [BackgroundThread] : [])],
    };
  }
}

/** Nest's, but for queries. */
function messageBuses(): DynamicModule {
  const { providers = [], ...buses } = CqrsModule.forRoot();
  return { ...buses, providers: [...providers, { provide: QueryBus, useClass: DirectQueryBus }] };
}
