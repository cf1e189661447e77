import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Configuration, Credential, OpenedOffer, Recipient } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { claimsOf, emptyDraft, faultsIn } from '../form/draft';
import { FieldControl } from '../form/claims-form';
import { formOf } from '../form/field';
import { CredentialTable } from '../parts/credential-table';
import { Kind } from '../parts/kind';
import { ProblemNotice } from '../parts/problem-notice';
import { RecipientFields, recipientIn } from '../parts/recipient-fields';
import { ResourceView } from '../parts/resource-view';
import { RichText } from '../parts/rich-text';
import { TextField, Tick } from '../parts/text-field';
import { addressOf, goTo } from '../place';
import { transactionCodes } from '../shown-once';
import { text } from '../texts';

interface IssueViewProps {
  readonly configurationId: string;
  /** An offer that waits for the data; a new one when absent. */
  readonly offerId: string | undefined;
}

/** The form of one credential, made from the schema of its claims. */
export function IssueView({ configurationId, offerId }: IssueViewProps): VNode {
  const configuration = useResource<Configuration>(`credential_configurations/${encodeURIComponent(configurationId)}`);
  return (
    <>
      <p class="back">
        <a href={addressOf('templates')}>{text('common.templates')}</a>
      </p>
      <h1>
        <RichText of="issue.title" with={{ credential: <Kind ids={configurationId} /> }} />
      </h1>
      <ResourceView resource={configuration}>
        {(value) => <IssueForm configuration={value} waitingOffer={offerId} />}
      </ResourceView>
    </>
  );
}

const claimsAt = '/credential/credentialSubject';

interface IssueFormProps {
  readonly configuration: Configuration;
  readonly waitingOffer: string | undefined;
}

function IssueForm({ configuration, waitingOffer }: IssueFormProps): VNode {
  const form = useMemo(() => formOf(configuration.schema ?? {}), [configuration]);
  const [draft, setDraft] = useState(() => emptyDraft(form));
  const [offerId, setOfferId] = useState(() => waitingOffer ?? randomId('offer'));
  const [needsCode, setNeedsCode] = useState(false);
  const [isLater, setLater] = useState(false);
  const [isPublic, setPublic] = useState(false);
  const [expiresAt, setExpiresAt] = useState('');
  const [reference, setReference] = useState('');
  const [recipient, setRecipient] = useState<Recipient>({});
  const [duplicates, setDuplicates] = useState<readonly Credential[]>([]);
  const [ownFaults, setOwnFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const action = useAction();
  const found = faultsIn(action.problem?.violations ?? [], claimsAt);
  const faults = ownFaults.size > 0 ? ownFaults : found;

  const openOffer = async (body: object): Promise<boolean> => {
    const opened = (await action.call('POST', 'offers', { offerId, ...body })) as OpenedOffer | undefined;
    transactionCodes.remember(offerId, opened?.txCode);
    return opened !== undefined;
  };
  const issue = async (isSure: boolean): Promise<void> => {
    const claims = claimsOf(form, draft);
    setOwnFaults(new Map(claims.faults.map(({ pointer, message }) => [pointer, message])));
    if (claims.faults.length > 0) return;
    if (reference !== '' && !isSure) {
      const answer = (await action.call('POST', 'searches', { reference })) as { items: Credential[] } | undefined;
      const same = answer?.items.filter(({ status, validity }) => status !== 'Denied' && validity !== 'Revoked') ?? [];
      setDuplicates(same);
      if (!answer || same.length > 0) return;
    }
    const body = {
      ...{ offerId, credentialConfigurationId: configuration.id },
      ...(configuration.templateId !== undefined && { templateId: configuration.templateId }),
      credential: { ...idFor(configuration), credentialSubject: claims.value ?? {} },
      ...(expiresAt !== '' && { expiresAt }),
      ...(reference !== '' && { reference }),
      ...recipientIn(recipient),
    };
    const options = needsCode && { txCode: true };
    if (options && !(await openOffer(options))) return;
    if ((await action.call('POST', 'credentials', body)) !== undefined) goTo(addressOf('offers', offerId));
  };
  const offerFirst = async (): Promise<void> => {
    const later = { deferred: true, ...(needsCode && { txCode: true }), ...recipientIn(recipient) };
    const forAll = { public: true, grants: ['authorization_code'], expiresIn: 'P90D' };
    const body = { templateIds: [configuration.id], ...(isPublic ? forAll : later) };
    if (await openOffer(body)) goTo(addressOf('offers', offerId));
  };

  return (
    <form
      noValidate
      class="narrow"
      onSubmit={(event) => {
        event.preventDefault();
        void (isLater || isPublic ? offerFirst() : issue(false));
      }}
    >
      <ProblemNotice problem={action.problem} isShownElsewhere={(pointer) => pointer.startsWith(`${claimsAt}/`)} />
      {!isLater && !isPublic && (
        <section aria-label={text('issue.claims')}>
          {configuration.schema === undefined && <p class="hint">{text('issue.noSchema')}</p>}
          <FieldControl
            field={configuration.schema === undefined ? { ...form, label: text('issue.claims') } : form}
            draft={draft}
            onChange={setDraft}
            pointer=""
            faults={faults}
          />
        </section>
      )}
      {!isLater && !isPublic && (
        <TextField
          id="reference"
          label={text('issue.reference')}
          value={reference}
          onText={setReference}
          hint={text('issue.referenceHint')}
        />
      )}
      {!isPublic && (
        <details>
          <summary>{text('delivery.title')}</summary>
          <RecipientFields recipient={recipient} onChange={setRecipient} faults={action.problem?.violations ?? []} />
        </details>
      )}
      <details>
        <summary>{text('issue.options')}</summary>
        <TextField id="offer-id" label={text('issue.offerId')} value={offerId} onText={setOfferId} required />
        {!isLater && !isPublic && (
          <TextField
            id="expires-at"
            label={text('issue.expires')}
            value={expiresAt}
            onText={setExpiresAt}
            hint={text('issue.expiresHint')}
          />
        )}
        {!isPublic && <Tick label={text('issue.needsCode')} isOn={needsCode} onChange={setNeedsCode} />}
        {configuration.templateId !== undefined && waitingOffer === undefined && !isPublic && (
          <Tick label={text('issue.later')} isOn={isLater} onChange={setLater} />
        )}
        {configuration.templateId !== undefined && waitingOffer === undefined && !isLater && (
          <Tick label={text('issue.forEveryone')} isOn={isPublic} onChange={setPublic} />
        )}
      </details>
      <Duplicates
        found={duplicates}
        onAccept={() => {
          setDuplicates([]);
          void issue(true);
        }}
      />
      <div class="actions">
        <button class="primary" disabled={action.isRunning}>
          {isLater || isPublic
            ? text('issue.createOffer')
            : waitingOffer === undefined
              ? text('issue.createBoth')
              : text('issue.submit')}
        </button>
      </div>
    </form>
  );
}

interface DuplicatesProps {
  readonly found: readonly Credential[];
  readonly onAccept: () => void;
}

/** What has the same reference already, before another one gets it. */
function Duplicates({ found, onAccept }: DuplicatesProps): VNode {
  return (
    <div aria-live="polite">
      {found.length > 0 && (
        <div class="problem">
          <CredentialTable caption={text('credentials.duplicate', { count: found.length })} items={found} nothing="" />
          <div class="actions">
            <button type="button" onClick={onAccept}>
              {text('credentials.issueAnyway')}
            </button>
          </div>
        </div>
      )}
    </div>
  );
}

/** Open Badges need an id. */
function idFor({ dataModel }: Configuration): { readonly id?: string } {
  return dataModel === 'open-badges-3.0' ? { id: `urn:sealwright:${randomId('badge')}` } : {};
}

/** An id that nobody else has chosen: `offer-3k9x0c2m1a`. */
function randomId(prefix: string): string {
  // `crypto.randomUUID` is missing where the page was opened by the address of the machine in its network.
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `${prefix}-${[...bytes].map((byte) => (byte % 36).toString(36)).join('')}`;
}
