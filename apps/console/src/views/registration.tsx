import type { VNode } from 'preact';
import type { Configuration, Page, RegistrationCertificate } from '../api/resources';
import { useResource } from '../api/use-api';
import { Badge } from '../parts/badge';
import { Kind } from '../parts/kind';
import { Moment } from '../parts/moment';
import { ResourceView } from '../parts/resource-view';
import { Row, Rows } from '../parts/rows';
import { Facts } from '../parts/value';
import { addressOf } from '../place';
import { text, textFor } from '../texts';

/** What registrars attest of this service, until when, and what it offers beyond that. */
export function RegistrationView(): VNode {
  const certificates = useResource<Page<RegistrationCertificate>>('registration_certificates');
  const configurations = useResource<Page<Configuration>>('credential_configurations');
  return (
    <>
      <h1>{text('common.registration')}</h1>
      <ResourceView resource={certificates}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="nothing">{text('registration.nothing')}</p>
          ) : (
            items.map((one) => <Certificate key={one.certificateId} certificate={one} />)
          )
        }
      </ResourceView>
      <h2>{text('registration.notRegistered')}</h2>
      <ResourceView resource={configurations}>
        {({ items }) => (
          <Rows
            items={items.filter(({ registered }) => registered === false)}
            nothing={
              items.some(({ registered }) => registered === true)
                ? text('registration.allRegistered')
                : text('registration.notCompared')
            }
          >
            {({ id, templateId, format }) => (
              <Row
                key={id}
                title={<Kind ids={id} />}
                id={id}
                about={format}
                {...(templateId !== undefined && { address: addressOf('templates', templateId) })}
              />
            )}
          </Rows>
        )}
      </ResourceView>
    </>
  );
}

function Certificate({ certificate }: { readonly certificate: RegistrationCertificate }): VNode {
  const { certificateId, name, state, status, fault, source, party, intermediary, intendedUseId } = certificate;
  const { purpose = [], credentials = [], attestations = [], entitlements, expiresAt } = certificate;
  const heading = `certificate-${certificateId}`;
  return (
    <section aria-labelledby={heading}>
      <div class="title">
        <h2 id={heading}>{name ?? certificateId}</h2>
        <Badge state={state} />
      </div>
      <Facts
        facts={[
          [
            text('registration.certificate'),
            source === 'file' ? text('registration.file', { name: certificateId }) : certificateId,
          ],
          [text('registration.fault'), fault && `${fault.found}: ${fault.remedy}`],
          [text('registration.ends'), expiresAt === undefined ? undefined : <Moment at={expiresAt} />],
          [text('registration.statusList'), status && (textFor('states', status) ?? status)],
          [text('registration.party'), party],
          [text('registration.intermediary'), intermediary],
          [text('registration.intendedUse'), intendedUseId],
          [text('registration.purpose'), purpose.map(({ value }) => value)],
          [text('registration.mayAskFor'), credentials.map(textOf)],
          [text('registration.mayIssue'), attestations.map(textOf)],
          [text('registration.entitlements'), entitlements],
        ]}
      />
    </section>
  );
}

/** `dc+sd-jwt urn:eudi:pid:1: given_name, address/locality` */
function textOf({ format, types, claims }: NonNullable<RegistrationCertificate['credentials']>[number]): string {
  const type =
    types.length === 0
      ? text('registration.anyType')
      : types.map((names) => names.join(' + ')).reduce((first, second) => text('registration.or', { first, second }));
  const paths = claims?.map(({ path }) => path.map((step) => step ?? '*').join('/'));
  return `${format} ${type}: ${paths ? paths.join(', ') || text('registration.noClaim') : text('registration.allClaims')}`;
}
