import { EventStore } from '@app/event-store';
import { type Answer, Implements, type Input, Resource, timeRange } from '@app/http';
import type { CredentialStatus } from '../credential/credential';
import type { Validity } from '../credential/validity';
import { mostWeeks, statistics } from './statistics.contract';

type Week = Answer<typeof statistics.weeks>['items'][number];

const usualWeeks = 12;
const weekMs = 7 * 24 * 60 * 60_000;

const countOf: Readonly<Record<CredentialStatus, keyof Week & ('waitingForData' | 'notTaken' | 'taken' | 'refused')>> =
  {
    Requested: 'waitingForData',
    Prepared: 'notTaken',
    Issued: 'taken',
    Accepted: 'taken',
    Deleted: 'taken',
    Refused: 'refused',
    Denied: 'refused',
  };

@Resource(statistics)
export class StatisticsController {
  constructor(private readonly store: EventStore) {}

  @Implements(statistics.weeks)
  async weeks({ query: { from, to } }: Input<typeof statistics.weeks>): Promise<Answer<typeof statistics.weeks>> {
    const { from: given, until = new Date() } = timeRange(from, to) ?? {};
    const first = given?.getTime() ?? until.getTime() - usualWeeks * weekMs;
    const range = { from: new Date(Math.max(first, until.getTime() - mostWeeks * weekMs)), until };
    const found = await this.store.countByWeek('credential', ['configurationId', 'status', 'validity'], range);
    const weeks = new Map<string, Week>();
    for (const { week, values, count } of found) {
      const [configuration, status, validity] = values as [string, CredentialStatus, Validity | null];
      const key = `${week} ${configuration}`;
      const so = weeks.get(key) ?? none(week, configuration);
      const became = countOf[status];
      weeks.set(key, {
        ...so,
        created: so.created + count,
        [became]: so[became] + count,
        ...(validity === 'Suspended' && { suspended: so.suspended + count }),
        ...(validity === 'Revoked' && { revoked: so.revoked + count }),
      });
    }
    return { items: [...weeks.values()] };
  }
}

function none(week: string, credentialConfigurationId: string): Week {
  const counts = { created: 0, waitingForData: 0, notTaken: 0, taken: 0, refused: 0, suspended: 0, revoked: 0 };
  return { week, credentialConfigurationId, ...counts };
}
