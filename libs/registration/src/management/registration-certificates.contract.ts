import { closed, component, dateTime, eg, is, listOf, resource, type Schema, text, texts } from '@app/http';
import { longestCertificate } from '../certificate/registration-certificate';
import { registrationStates } from '../held-registrations';
import { registrationStatuses } from '../sources/registration-statuses';

class AddCertificateBody {
  @is.Required(
    'The certificate as the registrar handed it out: a JWT of the type `rc-wrp+jwt`.',
    is.Text(1, longestCertificate),
  )
  readonly certificate!: string;
}

const path: Schema<readonly (string | number | null)[]> = {
  type: 'array',
  items: { type: ['string', 'integer', 'null'] },
};
const registered = closed({
  format: text,
  types: {
    type: 'array',
    description: 'Alternatives, each the names of one type; any type when empty.',
    items: texts,
  },
  'claims?': {
    type: 'array',
    description: 'All claims when absent.',
    items: closed({ path, 'values?': { type: 'array', items: {} } }),
  },
});
const localText = closed({ lang: text, value: text });

const certificate = component(
  'RegistrationCertificate',
  closed({
    certificateId: eg('8c1e7d0e-5f0b-4d0e-9a52-0f3b6d1c2a11', {
      ...text,
      description: 'Of a file its name.',
    }),
    source: eg('api', { enum: ['file', 'api'] as const }),
    state: eg('valid', {
      enum: registrationStates,
      description: 'Only a `valid` one is sent to wallets. `refused`: `fault` says why.',
    }),
    'fault?': closed({ found: text, remedy: text }),
    'status?': eg('valid', {
      enum: registrationStatuses,
      description: 'What the status list of the registrar says; `undetermined` while it cannot be had.',
    }),
    'statusStatedAt?': dateTime,
    'name?': eg('Example library'),
    'party?': eg('VATDE-123456789', { ...text, description: 'As the access certificate names it.' }),
    'intermediary?': { ...text, description: 'Who asks for the party.' },
    'entitlements?': eg(['https://uri.etsi.org/19475/Entitlement/Service_Provider'], texts),
    'intendedUseId?': eg('library-card'),
    'purpose?': eg([{ lang: 'en', value: 'To open an account.' }], { type: 'array', items: localText }),
    'credentials?': eg([], { type: 'array', description: 'What may be asked for.', items: registered }),
    'attestations?': eg([], { type: 'array', description: 'What may be issued.', items: registered }),
    'issuedAt?': eg('2026-11-01T00:00:00.000Z', dateTime),
    'expiresAt?': eg('2027-10-31T00:00:00.000Z', dateTime),
  }),
);

const answer = { description: 'The registration certificate.', schema: certificate } as const;

export const registrationCertificates = resource(
  {
    path: 'v0/registration_certificates',
    area: 'configuration',
    tag: 'Registration certificates',
    description: 'What registrars attest of this service: what it may ask wallets for, and what it may issue.',
    parameters: {
      certificateId: { description: 'The id of the certificate.', schema: text, example: 'library-card.jwt' },
    },
  },
  {
    add: {
      id: 'addRegistrationCertificate',
      route: 'POST',
      summary: 'Add a registration certificate',
      description:
        'It is checked first: its type, its signature, its chain to a trust anchor with the purpose `registrar`, its times, and ' +
        'its party against the access certificate of this service.',
      body: AddCertificateBody,
      examples: { one: { certificate: 'eyJ0eXAiOiJyYy13cnArand0In0.e30.c2lnbmF0dXJl' } },
      idempotent: true,
      answers: { 201: answer },
      problems: ['registration-certificate-not-accepted', 'conflict'],
    },
    list: listOf('listRegistrationCertificates', 'List the registration certificates, files first', certificate),
    get: {
      id: 'getRegistrationCertificate',
      route: 'GET :certificateId',
      summary: 'Get a registration certificate',
      conditional: false,
      answers: { 200: answer },
    },
    remove: {
      id: 'removeRegistrationCertificate',
      route: 'DELETE :certificateId',
      summary: 'Remove a registration certificate that was added here',
      conditional: false,
      answers: { 204: 'Removed; wallets get it no more.' },
      problems: ['conflict'],
    },
  },
);
