import { Metrics } from '@app/observability';
import { FindLoginStanding, type LoginStanding } from '@app/operation';
import { OutboundError } from '@app/outbound';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { LoginFailure } from './login-failure';
import { OpenIdProvider } from './openid-provider';

/** Milliseconds between two looks. */
const lookEvery = 30_000;

/** Whether the OpenID provider can be used. It is looked at when somebody asks, and nobody waits for that. */
@Injectable()
export class LoginProviderWatch implements OnModuleInit {
  private readonly logger = new Logger('Login');
  private seen: LoginStanding = 'unknown';
  private nextLook = -Infinity;

  constructor(
    private readonly provider: OpenIdProvider,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.metrics.readLoginProvider(() => {
      const standing = this.standing();
      return standing === 'usable' || standing === 'failing' ? standing : undefined;
    });
  }

  /** As it was when it was last looked at. */
  standing(): LoginStanding {
    if (!this.provider.isConfigured) return 'none';
    const now = performance.now();
    if (now >= this.nextLook) {
      this.nextLook = now + lookEvery;
      void this.look();
    }
    return this.seen === 'usable' && this.provider.refusesUs ? 'failing' : this.seen;
  }

  private async look(): Promise<void> {
    const before = this.seen;
    try {
      await this.provider.check();
      this.seen = 'usable';
      if (before === 'failing') this.logger.log({ event: 'login.usable' }, 'The login provider can be used again');
    } catch (error) {
      this.seen = 'failing';
      if (before === 'failing') return;
      this.logger.warn({ event: 'login.failing', reason: reasonOf(error) }, 'The login provider cannot be used');
    }
  }
}

function reasonOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError) return cause.reason;
  }
  return error instanceof LoginFailure ? error.refusal.reason : 'unknown';
}

@QueryHandler(FindLoginStanding)
export class FindLoginStandingHandler implements IQueryHandler<FindLoginStanding> {
  constructor(private readonly watch: LoginProviderWatch) {}

  execute(): Promise<LoginStanding> {
    return Promise.resolve(this.watch.standing());
  }
}
