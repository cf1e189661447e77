import { endOf, OwnCertificates, TrustAnchors } from '@app/identity';
import { type Answer, Implements, Resource } from '@app/http';
import { currentTenant } from '@app/primitives/context';
import { LoginReadiness } from './login-readiness';
import { MailReadiness } from './mail-readiness';
import { RegistrationReadiness } from './registration-readiness';
import { Readiness } from './readiness';
import { standing } from './standing.contract';

type Standing = Answer<typeof standing.show>;

/** What administrators look at in one place. */
@Resource(standing)
export class StandingController {
  constructor(
    private readonly readiness: Readiness,
    private readonly login: LoginReadiness,
    private readonly mail: MailReadiness,
    private readonly registration: RegistrationReadiness,
    private readonly certificates: OwnCertificates,
    private readonly anchors: TrustAnchors,
  ) {}

  @Implements(standing.show)
  async show(): Promise<Standing> {
    const { anchors, faults } = this.anchors.state();
    const certificates = this.certificates.inUse(new Date()).map(({ use, subject, algorithm, notAfter }) => {
      return { use, subject, algorithm, endsAt: notAfter.toISOString() };
    });
    const trust = anchors.map((anchor) => {
      const { name, subject, purposes } = anchor;
      return { name, subject, purposes: [...purposes], endsAt: endOf(anchor).toISOString() };
    });
    if (currentTenant()) return { certificates, trust };
    return {
      health: await this.health(),
      certificates,
      trust,
      trustFaults: faults.map(({ source, found, remedy }) => `${source}: ${found}; ${remedy}`),
    };
  }

  private async health(): Promise<NonNullable<Standing['health']>> {
    const found = [
      ...(await this.readiness.check()),
      ...(await this.login.check()),
      ...(await this.mail.check()),
      ...this.registration.check(),
    ];
    return found.flatMap((result) =>
      Object.entries(result).map(([part, { status, message }]) => ({
        part,
        state: status === 'up' ? ('up' as const) : ('down' as const),
        ...(typeof message === 'string' && { fault: message }),
      })),
    );
  }
}
