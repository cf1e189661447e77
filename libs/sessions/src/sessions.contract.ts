import { consoleRoles } from '@app/config';
import { closed, component, dateTime, eg, exampleOf, is, resource, type Schema, scopes } from '@app/http';
import { IsBoolean } from 'class-validator';

const short: Schema = { type: 'string', maxLength: 512 };
const says = (description: string, example: unknown, schema: Schema = short) => eg(example, { ...schema, description });
const subject = says(
  'Stable: issuer and subject at the provider, or what the audit calls a key.',
  'oauth:https://login.example.edu|u-1',
);
const roles = says('Roles, with the templates to which they are limited.', ['clerk@diploma'], {
  type: 'array',
  items: { type: 'string', pattern: `^(${consoleRoles.join('|')})(@[^@]+)?$` },
});

const session = component(
  'ConsoleSession',
  closed({
    subject,
    scopes: says('What the caller may do.', ['offers:read'], {
      type: 'array',
      items: { type: 'string', enum: [...scopes] },
    }),
    'name?': says('How the provider calls the person.', 'Erika Mustermann'),
    'roles?': roles,
    'endsAt?': says('When the session ends unless its person does something.', '2027-06-30T12:30:00.000Z', dateTime),
    'lastsUntil?': says('When it ends in any case.', '2027-06-30T22:00:00.000Z', dateTime),
    'now?': says("The database's clock.", '2027-06-30T12:00:00.000Z', dateTime),
    'isFresh?': says('Whether the person has proven within ten minutes who they are.', true, { type: 'boolean' }),
  }),
);

const listed = component(
  'ListedConsoleSession',
  closed({
    subject,
    roles,
    startedAt: says('When the person signed in.', '2027-06-30T12:00:00.000Z', dateTime),
    endsAt: says('When it ends unless its person does something.', '2027-06-30T12:30:00.000Z', dateTime),
  }),
);

class SignOutBody {
  @is.Optional(
    'Also in every other browser of this person.',
    IsBoolean({ message: 'must be true or false' }),
    is.Shown({ type: 'boolean' }),
  )
  readonly everywhere?: boolean;
}

class EndSessionsBody {
  @is.Required(
    'As the audit and the list of sessions name the person.',
    is.Text(1, 512),
    is.Shown({ example: 'oauth:https://login.example.edu|u-1' }),
  )
  readonly subject!: string;
}

const signedOut = closed({
  signOutUrl: says(
    'Where a browser also signs out at the provider; null where that has no such address.',
    'https://login.example.edu/session/end?client_id=console',
    { type: ['string', 'null'], maxLength: 2048 },
  ),
});

export const session$ = resource(
  {
    path: 'v0/session',
    area: 'configuration',
    tag: 'Sessions',
    description: 'Who is calling, and who has signed in to the console.',
  },
  {
    get: {
      id: 'getSession',
      route: 'GET',
      scope: 'any',
      conditional: false,
      summary: 'Who the caller is, and what they may do',
      description: 'Of a key or token only subject and scopes.',
      answers: { 200: { description: 'The caller.', schema: session } },
    },
    extend: {
      id: 'extendSession',
      route: 'POST extend',
      scope: 'any',
      conditional: false,
      summary: 'Let the session go on',
      problems: ['conflict'],
      answers: { 200: { description: 'The session.', schema: session } },
    },
    signOut: {
      id: 'signOut',
      route: 'POST sign_out',
      scope: 'any',
      conditional: false,
      body: SignOutBody,
      examples: { here: {}, everywhere: { everywhere: true } },
      summary: 'Sign out',
      problems: ['conflict'],
      answers: { 200: { description: 'Signed out; the cookie is removed.', schema: signedOut } },
    },
  },
);

export const sessions = resource(
  {
    path: 'v0/sessions',
    area: 'configuration',
    tag: 'Sessions',
    description: 'Who is calling, and who has signed in to the console.',
  },
  {
    list: {
      id: 'listSessions',
      route: 'GET',
      summary: 'List who has signed in',
      answers: {
        200: {
          description: 'Those that have not ended, the oldest first.',
          schema: closed({ items: eg([exampleOf(listed)], { type: 'array', items: listed }) }),
        },
      },
    },
    endAll: {
      id: 'endSessions',
      route: 'POST end',
      freshness: true,
      conditional: false,
      body: EndSessionsBody,
      examples: { person: { subject: 'oauth:https://login.example.edu|u-1' } },
      summary: 'End all sessions of a person',
      description: 'They can sign in again while the provider lets them.',
      answers: {
        200: {
          description: 'Ended.',
          schema: closed({ ended: says('How many there were.', 1, { type: 'integer', minimum: 0 }) }),
        },
      },
    },
  },
);
