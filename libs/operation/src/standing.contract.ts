import { closed, component, dateTime, eg, resource, text, texts } from '@app/http';

const part = closed({
  part: eg('database', { ...text, description: 'As `/readyz` names it.' }),
  state: { enum: ['up', 'down'] },
  'fault?': eg('it accepts no writes', text),
});

const certificate = closed({
  use: eg('credentials', { enum: ['credentials', 'requests', 'documents', 'metadata'] }),
  subject: eg('CN=Example library', text),
  algorithm: eg('ES256', text),
  endsAt: eg('2027-10-31T00:00:00.000Z', dateTime),
});

const anchor = closed({
  name: eg('Wallets of Example', text),
  subject: text,
  purposes: eg(['wallets'], texts),
  endsAt: eg('2027-10-31T00:00:00.000Z', dateTime),
});

export const standing = resource(
  { path: 'v0/standing', area: 'configuration', tag: 'Operation', description: 'The service itself.' },
  {
    show: {
      id: 'showStanding',
      route: 'GET',
      summary: 'Get what works, which certificates are in use, and who is trusted',
      answers: {
        200: {
          description: 'How it is now.',
          schema: component(
            'Standing',
            closed({
              'health?': eg([], { type: 'array', items: part, description: 'Absent for callers of tenants.' }),
              certificates: eg([], {
                type: 'array',
                items: certificate,
                description: 'For each use the one that signs, or would, had it not expired.',
              }),
              trust: eg([], { type: 'array', items: anchor }),
              'trustFaults?': eg([], {
                ...texts,
                description: 'Files and lists that cannot be used. Absent for callers of tenants.',
              }),
            }),
          ),
        },
      },
    },
  },
);
