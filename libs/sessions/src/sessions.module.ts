import { SignedInCallers } from '@app/access';
import { Settings } from '@app/config';
import { Housekeeping, OperationModule } from '@app/operation';
import { Module, type OnModuleInit } from '@nestjs/common';
import { ConsoleAddress } from './console-address';
import { CONSOLE_OPENID_CLIENT, ConsoleProvider } from './console-provider';
import { LogoutTokens } from './logout-tokens';
import { SessionRecords } from './session-records';
import { Sessions } from './sessions';
import { SessionController, SessionsController } from './sessions.controller';
import { SignInEndpoint } from './sign-in.endpoint';
import { SignInStanding } from './sign-in-standing';
import { SignIns } from './sign-ins';

/** People sign in to the console at the provider of their organisation. */
@Module({
  imports: [OperationModule],
  controllers: [SignInEndpoint, SessionController, SessionsController],
  providers: [
    {
      provide: CONSOLE_OPENID_CLIENT,
      inject: [Settings],
      useFactory: ({ console: { openid } }: Settings) => (openid.issuer === '' ? undefined : import('openid-client')),
    },
    ConsoleAddress,
    ConsoleProvider,
    SessionRecords,
    Sessions,
    SignInStanding,
    SignIns,
    LogoutTokens,
  ],
})
export class SessionsModule implements OnModuleInit {
  constructor(
    private readonly settings: Settings,
    private readonly callers: SignedInCallers,
    private readonly sessions: Sessions,
    private readonly records: SessionRecords,
    private readonly housekeeping: Housekeeping,
  ) {}

  /** Where nobody signs in, no request is looked at for it. */
  onModuleInit(): void {
    if (this.settings.console.openid.issuer === '') return;
    this.callers.knownBy(this.sessions);
    this.housekeeping.alsoRemove(() => this.records.removeOld());
  }
}
