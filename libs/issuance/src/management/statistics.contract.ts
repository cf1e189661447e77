import { closed, component, eg, integer, is, resource, text } from '@app/http';
import { shared } from './credentials.contract';

/** Weeks that one answer may have. */
export const mostWeeks = 53;

class StatisticsQuery {
  @is.Optional(
    `Credentials created at or after this time; twelve weeks before \`to\` when absent. Not more than the last ${mostWeeks} weeks are counted.`,
    is.Moment('2027-04-05T00:00:00Z'),
  )
  readonly from?: string;
  @is.Optional('Credentials created before this time; now when absent.', is.Moment('2027-06-28T00:00:00Z'))
  readonly to?: string;
}

const counted = (description: string, example: number) => eg(example, { ...integer, minimum: 0, description });

const week = component(
  'WeekOfCredentials',
  closed({
    week: eg('2027-06-21', { ...text, description: 'The Monday with which the week begins, in UTC.' }),
    credentialConfigurationId: eg('membership', text),
    created: counted('All that were created in this week.', 12),
    waitingForData: counted('Of these: a wallet waits for the data.', 1),
    notTaken: counted('Of these: ready, and in no wallet.', 2),
    taken: counted('Of these: issued to a wallet.', 8),
    refused: counted('Of these: refused by the wallet, or denied.', 1),
    suspended: counted('Of these: suspended now.', 0),
    revoked: counted('Of these: revoked.', 1),
  }),
);

/** Counts have no person in them. */
export const statistics = resource(
  { ...shared, path: 'v0/statistics' },
  {
    weeks: {
      id: 'getStatistics',
      scope: 'credentials:read',
      route: 'GET',
      summary: 'Count credentials by week and configuration',
      description:
        'The week of a credential is the one of its creation; the other numbers say what has become of it since.',
      query: StatisticsQuery,
      answers: {
        200: {
          description: 'The oldest week first; weeks without a credential are left out.',
          schema: component('Statistics', closed({ items: eg([], { type: 'array', items: week }) })),
        },
      },
    },
  },
);
