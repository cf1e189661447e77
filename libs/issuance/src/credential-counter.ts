import type { EventCounter } from '@app/metrics';
import { type Credential, credentialAggregate, type CredentialEvent, type CredentialTerms } from './credential';

const formats: readonly CredentialTerms['format'][] = ['jwt_vc_json', 'dc+sd-jwt'];

const outcomeOf = {
  CredentialPrepared: 'prepared',
  CredentialIssued: 'issued',
  CredentialAccepted: 'accepted',
  CredentialRefused: 'refused',
  CredentialDeleted: 'deleted',
} as const satisfies Record<CredentialEvent['type'], string>;

export const credentialCounter: EventCounter = {
  category: credentialAggregate.category,
  name: 'credentials_total',
  help: 'What happened to credentials',
  series: formats.flatMap((format) => Object.values(outcomeOf).map((outcome) => ({ format, outcome }))),
  seriesOf: (eventType, state) => ({
    format: (state as Credential).format,
    outcome: outcomeOf[eventType as CredentialEvent['type']],
  }),
};
