import {
  anyObject,
  closed,
  component,
  dateTime,
  eg,
  givenDateTime,
  is,
  listOf,
  resource,
  text,
  textOrNull,
  timeline,
  timelineSteps,
  texts,
  timesInOrder,
  ListQuery,
} from '@app/http';
import { hasAtMost, isJsonObject } from '@app/primitives/json';
import { linkSchemas, RecipientBody, recipientOf, shownLinks } from '@app/offers';
import { credentialFormats } from '@app/openid4vc';
import { isDateTime } from '@app/primitives/time';
import { Matches, ValidateIf } from 'class-validator';
import { credentialStatuses, type CredentialStatus } from '../credential/credential';
import { denialText } from '../credential/credential-denied';
import { credentialEvents } from '../credential/credential-events';
import { validities, type Validity } from '../credential/validity';
import type {
  CredentialInput,
  NamedConfiguration,
  RequestedExpiry,
  UnsignedCredential,
} from '../content/credential-input';

/** The filters of `GET /v0/credentials`. */
@is.Holds(timesInOrder(['createdAfter', 'createdBefore'], ['issuedAfter', 'issuedBefore']))
class CredentialQuery extends ListQuery {
  @is.Optional('Only those of this offer.', is.Text(0, 256))
  readonly offerId?: string;
  @is.Optional('Only those that a wallet has asked for by itself, by this authorization.', is.Text(0, 256))
  readonly authorizationId?: string;
  @is.Optional('Only those whose data the caller submitted, the latest first.', is.OneOf(['self']))
  readonly preparedBy?: 'self';
  @is.Optional('Only those of this template.', is.Text(0, 256))
  readonly templateId?: string;
  @is.Optional('Only those in this state.', is.OneOf(credentialStatuses))
  readonly status?: CredentialStatus;
  @is.Optional('Only those created at or after this time.', is.Moment('2027-06-30T00:00:00Z'))
  readonly createdAfter?: string;
  @is.Optional('Only those created before this time.', is.Moment('2027-07-01T00:00:00Z'))
  readonly createdBefore?: string;
  @is.Optional('Only those issued at or after this time.', is.Moment('2027-06-30T00:00:00Z'))
  readonly issuedAfter?: string;
  @is.Optional('Only those issued before this time.', is.Moment('2027-07-01T00:00:00Z'))
  readonly issuedBefore?: string;
  @is.Optional('Only those that this key signed last.', is.Text(1, 256))
  readonly signingKeyId?: string;
  @is.Optional('Only issued revocable credentials with this status in their status list.', is.OneOf(validities))
  readonly validity?: Validity;
}

/** What attesters have said of the keys that an issued credential is bound to. */
const keyAttestations = {
  type: 'array',
  description: 'Of an issued credential whose template requires that the keys of the wallet are attested.',
  items: closed({
    attester: eg('Wallets of Example', { ...text, description: 'Name of the trust anchor.' }),
    certificateThumbprint: { ...text, description: 'SHA-256 of the certificate of the attester, base64url.' },
    'keyStorage?': eg(['iso_18045_high'], texts),
    'userAuthentication?': texts,
  }),
} as const;

/** In a request. */
export const expiry = { anyOf: [givenDateTime, { const: 'never' }] };
const mostCharacters = 256;
const submitted = { credentialSubject: { given_name: 'Erika', level: 3 } };

const prepared = {
  credentialId: eg('membership-4711'),
  'offerId?': eg('order-4711', {
    ...text,
    description: 'Absent when a wallet has asked for the credential by itself.',
  }),
  'authorizationId?': {
    ...text,
    description: 'Of a credential that a wallet has asked for by itself, without an offer.',
  },
  'templateId?': eg('membership'),
  credentialConfigurationId: eg('membership'),
  format: eg('dc+sd-jwt', { enum: credentialFormats }),
  status: eg('Prepared', { enum: credentialStatuses }),
  'expiresAt?': eg('2027-11-20T10:00:00.000Z', {
    anyOf: [dateTime, { const: 'never' }],
    description: 'Absent before the data is submitted.',
  }),
  createdAt: eg('2026-11-20T10:00:00.000Z', dateTime),
  'requestedAt?': { ...dateTime, description: 'When a wallet asked for it before its data was submitted.' },
  'submittableUntil?': { ...dateTime, description: 'Until when the data that a wallet waits for can be submitted.' },
  'issuedAt?': dateTime,
  'lastIssuedAt?': { ...dateTime, description: 'Of an issued credential: when its latest copies were issued.' },
  'copies?': {
    type: 'integer',
    minimum: 1,
    description: 'Of an issued credential: how many copies wallets have got, each for a key of its own.',
  },
  'signingKeyId?': {
    ...text,
    description:
      'Of an issued credential: the `kid` of the key that signed it last (RFC 7638 thumbprint), as in `/jwks.json` and ' +
      '`sealwright keys list`. Absent when it was signed elsewhere.',
  },
  'keyAttestations?': keyAttestations,
  'eraseAt?': { ...dateTime, description: 'When the claims are erased, by the `retention` of the template.' },
  'validity?': { description: 'Of an issued revocable credential, as its status list says.', enum: validities },
  'erasedAt?': dateTime,
  'deniedAt?': dateTime,
  'approval?': { description: 'Of a credential that somebody has to approve.', enum: ['awaited', 'given'] },
  'signature?': {
    description:
      'Of a credential that was signed elsewhere: `verified` with the key that its issuer publishes, or `not-checked` ' +
      'because no such key was found in time.',
    enum: ['verified', 'not-checked'],
  },
};
export const credentialWithoutLinks = component('Credential', closed(prepared));
export const credentialWithLinks = component('PreparedCredential', closed({ ...prepared, ...linkSchemas() }));
const content = eg(submitted, {
  description:
    'What was submitted: an object, or a signed credential. Null before it is submitted, when it was denied, and after the data ' +
    'was erased.',
  anyOf: [closed({ 'id?': text, credentialSubject: anyObject }), anyObject, text, { type: 'null' }],
});
const reference = eg('2026/4711', { ...text, description: 'Of the portal; absent once the data is erased.' });
const reason = { ...text, description: 'Why it was denied.' };
const history = eg(
  [{ at: '2026-11-20T10:00:00.000Z', step: 'prepared', outcome: 'ok', detail: 'Its data was submitted.' }],
  timeline([...timelineSteps(credentialEvents), 'wallet refused'], ['ok', 'refused'], {
    ...textOrNull,
    description: 'One sentence for portal operators.',
  }),
);
const credentialWithContent = component(
  'CredentialWithContent',
  closed({ ...prepared, credential: content, 'reference?': reference, 'reason?': reason, timeline: history }),
);

/** A text by which portals find a credential again. */
export const givenReference = [
  is.Text(1, 100),
  is.Check('isOneLine', 'must be one line, with a character that is no space', (value) => {
    return typeof value === 'string' && value.trim() !== '' && !/\p{Cc}/u.test(value);
  }),
  is.Shown({
    ...text,
    minLength: 1,
    maxLength: 100,
    pattern: '^[^\u0000-\u001f\u007f-\u009f]*[^\u0000-\u0020\u007f-\u00a0][^\u0000-\u001f\u007f-\u009f]*$',
    examples: ['2026/4711'],
  }),
] as const;

const isCredential = (value: unknown) => typeof value === 'string' || isJsonObject(value);
const isMissing = (id: unknown) => id === undefined || id === '';
const isId = (id: unknown) => typeof id === 'string' && hasAtMost(id, mostCharacters);

@is.Rules({
  ...is.oneIsGiven(
    { required: ['templateId'] },
    { required: ['credentialConfigurationId'], properties: { credentialConfigurationId: { minLength: 1 } } },
  ),
  if: { properties: { credential: { type: 'string' } } },
  then: { properties: { isSigned: { const: true } } },
  else: { properties: { isSigned: { const: false } } },
})
export class PrepareCredentialBody {
  @is.Required('The offer that the credential is added to.', is.Text(1, mostCharacters), is.Addressable())
  readonly offerId!: string;
  @is.Required(
    'The claims, to be signed here; or a signed credential (JWT or SD-JWT), unchanged.',
    is.Check(
      'isCredential',
      'must be a JSON object with credentialSubject, or a signed credential as a string',
      isCredential,
      { problem: 'invalid-credential-type' },
    ),
    is.Shown({
      anyOf: [
        {
          ...anyObject,
          properties: { id: { type: 'string', format: 'uri' }, credentialSubject: anyObject },
          required: ['credentialSubject'],
        },
        { type: 'string', pattern: '^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+){2}(~[A-Za-z0-9._-]*)*$' },
      ],
      examples: [submitted, { id: 'urn:uuid:0e6a1c5e-7a0b-4c3a-9b53-3a1f4b1f0c55', credentialSubject: {} }],
    }),
  )
  readonly credential!: UnsignedCredential | string;
  @is.Optional(
    'Must agree with the JSON type of `credential`.',
    is.Check(
      'agrees',
      'must be true for a credential that is a string, false for one that is an object',
      (isSigned, { credential: given }: PrepareCredentialBody) =>
        typeof isSigned === 'boolean' && (!isCredential(given) || isSigned === (typeof given === 'string')),
      { problem: 'invalid-credential-type' },
    ),
    is.Shown({ type: 'boolean' }),
  )
  readonly isSigned?: boolean;
  @is.Required(
    'A published template. Absent, `credentialConfigurationId` names what to issue.',
    ValidateIf((body: PrepareCredentialBody) => body.templateId !== undefined || !body.credentialConfigurationId),
    is.Check('isId', `must be a string of 1 to ${mostCharacters} characters`, (id) => isMissing(id) || isId(id)),
    is.Check(
      'isGiven',
      'must name a template, unless credentialConfigurationId names a configuration',
      (id) => !isMissing(id),
      {
        problem: 'missing-template-id',
      },
    ),
    is.Shown({ type: 'string', minLength: 1, maxLength: mostCharacters }),
  )
  readonly templateId?: string;
  @is.Optional(
    'A credential configuration. Given with `templateId`, both must name the same one.',
    is.Text(0, mostCharacters),
  )
  readonly credentialConfigurationId?: string;
  @is.Optional(
    'RFC 3339 date-time, or `never`; the limit of the template when absent. For a signed credential its own `exp` ' +
      'counts: leave it out, or send the same time.',
    is.Check(
      'isExpiry',
      'must be an RFC 3339 date-time such as 2027-06-30T12:00:00Z, not later than 9999-12-31T23:59:59Z, or never',
      (value) => value === 'never' || isDateTime(value),
      { problem: 'invalid-expiration-date', isDeferred: true },
    ),
    is.Shown({ ...expiry, examples: ['2099-01-01T00:00:00Z', 'never'] }),
  )
  readonly expiresAt?: string;
  @is.Optional(
    'Your own id for it; a random one when absent.',
    Matches(/^[A-Za-z0-9._~:-]{1,256}$/, { message: 'must be 1 to 256 characters of A-Z a-z 0-9 . _ ~ : -' }),
    is.Addressable(),
  )
  readonly credentialId?: string;
  @is.Optional(
    'Your own reference, such as a file number, by which `POST /v0/searches` finds the credential. It may be that of many. Not in the ' +
      'credential; sealed and erased with its data.',
    ...givenReference,
  )
  readonly reference?: string;
  @is.Optional(
    'Whom the offer is handed over to, as in `POST /v0/offers`; sealed, and erased with the data.',
    is.Nested(() => RecipientBody),
  )
  readonly recipient?: RecipientBody;
}

/** What a body says in the words of the domain. */
export function credentialInputOf(body: PrepareCredentialBody): CredentialInput {
  const { offerId, credentialId, credential: given, reference } = body;
  const recipient = recipientOf(body.recipient);
  const place = { offerId, credentialId, ...(recipient && { recipient }) };
  return { place, credential: given, named: namedIn(body), expiresAt: expiryIn(body), reference };
}

/** An empty `credentialConfigurationId` is as good as none. */
function namedIn({ templateId, credentialConfigurationId = '' }: PrepareCredentialBody): NamedConfiguration {
  if (templateId === undefined) return { configurationId: credentialConfigurationId };
  return { templateId, configurationId: credentialConfigurationId || undefined };
}

function expiryIn({ expiresAt }: PrepareCredentialBody): RequestedExpiry {
  if (expiresAt === undefined || expiresAt === 'never') return expiresAt;
  return isDateTime(expiresAt) ? new Date(expiresAt) : 'not-a-date';
}

class DenyCredentialBody {
  @is.Required(
    'What the person reads in the wallet.',
    Matches(denialText, {
      message:
        'must be 1 to 300 characters of ASCII, without line breaks, quotation marks and backslashes: wallets get no others',
    }),
  )
  readonly reason!: string;
}

export const shared = {
  area: 'credentials',
  tag: 'Credentials',
  description: 'The data of one person for one credential of an offer, and its status.',
} as const;
export const credentialConfigurationId = 'w3c_vc_credential';

const all = { ...shared, path: 'v0/credentials' } as const;
export const ofCredential = {
  ...all,
  parameters: {
    credentialId: { description: 'The id of the credential.', schema: text, example: 'membership-4711' },
  },
};

export const credentials = {
  ...resource(
    { ...all, links: shownLinks },
    {
      prepare: {
        id: 'prepareCredential',
        makesNew: true,
        route: 'POST',
        summary: 'Submit the data of one person',
        description:
          'The offer is created when it does not exist yet. For a deferred offer, a credential that a wallet waits for (`Requested`) is ' +
          'completed: leave `credentialId` out, or send the one it has. A string is a credential that was signed elsewhere: its ' +
          'structure is checked, and its signature when the key of its issuer is found within two seconds. The answer has the ' +
          'links of the offer, as that of `POST /v0/offers`, for callers with the scope `offers:deliver`.',
        body: PrepareCredentialBody,
        examples: {
          ofTemplate: {
            offerId: 'order-4711',
            credentialId: 'membership-4711',
            templateId: 'membership',
            credential: submitted,
          },
          quickStart: {
            offerId: 'order-4712',
            credentialConfigurationId,
            credential: submitted,
            expiresAt: 'never',
          },
        },
        idempotent: true,
        answers: {
          201: {
            description: 'The credential, ready for the wallet that accepts the offer.',
            schema: credentialWithLinks,
          },
        },
        problems: [
          'invalid-credential-type',
          'missing-template-id',
          'template-not-found',
          'template-not-published',
          'no-credential-configuration-found',
          'unsupported-credential-format',
          'claims-not-checked',
          'unsupported-credential-configuration-format',
          'invalid-identifier',
          'invalid-credential-payload',
          'credential-schema-validation-failed',
          'invalid-template-schema',
          'invalid-expiration-date',
          'expiration-exceeds-template-limit',
          'invalid-signed-credential-format',
          'signed-credential-format-mismatch',
        ],
      },
    },
  ),
  ...resource(ofCredential, {
    list: listOf(
      'listCredentials',
      'List the credentials, newest first',
      credentialWithoutLinks,
      CredentialQuery,
      'All filters must match. Filtered by issue, `signingKeyId` or `validity` they are in the order of issue, the latest first, unless they are those of ' +
        'one offer.',
    ),
    get: {
      id: 'getCredential',
      route: 'GET :credentialId',
      summary: 'Get a credential with its claims',
      answers: { 200: { description: 'The credential.', schema: credentialWithContent } },
    },
    deny: {
      id: 'denyCredential',
      route: 'POST :credentialId/deny',
      summary: 'Deny a credential that a wallet waits for',
      description:
        'For a credential of a deferred offer that is Requested, or Prepared and not fetched yet. When the wallet asks the next ' +
        'time it gets `credential_request_denied` with the reason. Denying again for the same reason changes nothing.',
      body: DenyCredentialBody,
      examples: { unknown: { reason: 'We have found no membership of yours. Please write to our office.' } },
      answers: { 204: 'The wallet gets the reason when it asks the next time.' },
    },
  }),
};
