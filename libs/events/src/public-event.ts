import { approvalPublication } from '@app/approvals';
import { authorizationPublication } from '@app/authorization';
import type { Publication, StoredEvent } from '@app/event-store';
import { credentialPublication } from '@app/issuance';
import { offerPublication } from '@app/offers';
import { storedCertificatePublication } from '@app/registration';
import { statusListPublication } from '@app/status';
import { templatePublication } from '@app/templates';
import { presentationPublication } from '@app/verification';

/** A CloudEvent 1.0, in its JSON form. */
export interface PublicEvent {
  readonly specversion: '1.0';
  /** The position of the event in the store: unique for a source, and the same each time the event is sent. */
  readonly id: string;
  /** The public URL of the service. */
  readonly source: string;
  readonly type: string;
  /** The resource of the management API, without `/v0/`: `offers/4711`. */
  readonly subject: string;
  /** RFC 3339; when it happened. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /** Names the version of `data`. */
  readonly dataschema: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const publications: readonly Publication[] = [
  approvalPublication,
  templatePublication,
  storedCertificatePublication,
  statusListPublication,
  offerPublication,
  authorizationPublication,
  credentialPublication,
  presentationPublication,
];
const byCategory = new Map(publications.map((publication) => [publication.category, publication]));

/** Of all published types; a change of `data` other than a further member gives a type a higher one. */
const dataVersion = 1;

/** Every type of event that is published. */
export const publicEventTypes: readonly string[] = [
  ...new Set(publications.flatMap(({ types }) => Object.values(types).filter((type) => type !== null))),
].sort();

/** The types of stored events that are published. */
export const publishedStoredTypes: readonly string[] = publications.flatMap(({ types }) =>
  Object.entries(types).flatMap(([stored, type]) => (type === null ? [] : [stored])),
);

const subjects = publications.filter(({ types }) => Object.values(types).some((type) => type !== null));

/** Of what events are about. */
export const subjectPattern = new RegExp(`^(${subjects.map(({ resources }) => resources).join('|')})/[^\\x00]`);

/**
 * What others learn of a stored event; `undefined` when it is private.
 * @param source the public URL of the service
 */
export function publicEventOf(stored: StoredEvent, source: string): PublicEvent | undefined {
  const publication = byCategory.get(stored.category);
  const type = publication?.types[stored.event.type];
  if (publication === undefined || type === undefined || type === null) return undefined;
  return {
    specversion: '1.0',
    id: stored.position,
    source,
    type,
    subject: `${publication.resources}/${stored.id}`,
    time: publication.time?.(stored.event) ?? stored.recordedAt.toISOString(),
    datacontenttype: 'application/json',
    dataschema: `urn:sealwright:event:${type}:${dataVersion}`,
    data: publication.data(stored),
  };
}
