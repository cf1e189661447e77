import { managementAccessFault, Settings, SettingsError } from '@app/config';
import { EventStore } from '@app/event-store';
import { Authenticator } from '@app/keys';
import { OutboundClient } from '@app/outbound';
import { Tenants } from '@app/primitives/context';
import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule } from './access.module';
import { AccessTokens } from './access-tokens';
import { ApiKeys } from './api-keys';
import { Authentication } from './authentication';
import { CallerProofs } from './caller-proofs';
import { DevelopmentKey } from './development-key';
import { KnownKeys } from './known-keys';
import { SignedInCallers } from './signed-in-callers';
import { TokenKeys } from './token-keys';

/** Global: provides `Authentication` to the server. Rejects a start in production with which no caller could authenticate. */
@Global()
@Module({
  imports: [AccessModule],
  providers: [
    {
      provide: AccessTokens,
      inject: [Settings, OutboundClient],
      useFactory: ({ management }: Settings, outbound: OutboundClient) =>
        management.jwksUrl === ''
          ? undefined
          : new AccessTokens(management, new TokenKeys(management.jwksUrl, outbound)),
    },
    {
      provide: CallerProofs,
      inject: [Settings, EventStore],
      useFactory: ({ management, applicationUrl }: Settings, store: EventStore) =>
        new CallerProofs(management.url === '' ? applicationUrl : management.url, store),
    },
    {
      provide: DevelopmentKey,
      inject: [Settings, Authenticator],
      useFactory: (settings: Settings, authenticator: Authenticator) => new DevelopmentKey(settings, authenticator),
    },
    {
      provide: KnownKeys,
      inject: [Settings, DevelopmentKey, ApiKeys],
      useFactory: (settings: Settings, development: DevelopmentKey, made: ApiKeys) =>
        new KnownKeys(settings, development, made),
    },
    SignedInCallers,
    Authentication,
  ],
  exports: [Authentication, DevelopmentKey, SignedInCallers],
})
export class AuthenticationModule implements OnModuleInit {
  constructor(
    private readonly settings: Settings,
    private readonly keys: ApiKeys,
    tenants: Tenants,
  ) {
    tenants.endWith(() => keys.revokeAll());
  }

  async onModuleInit(): Promise<void> {
    const fault = managementAccessFault(this.settings);
    if (fault && !(await this.keys.hasLive())) throw new SettingsError([fault]);
  }
}
