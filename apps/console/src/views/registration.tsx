import type { VNode } from 'preact';
import type { Configuration, Page, RegistrationCertificate } from '../api/resources';
import { useResource } from '../api/use-api';
import { Badge } from '../parts/badge';
import { Moment } from '../parts/moment';
import { ResourceView } from '../parts/resource-view';
import { Row, Rows } from '../parts/rows';
import { Facts } from '../parts/value';
import { addressOf } from '../place';

/** What registrars attest of this service, until when, and what it offers beyond that. */
export function RegistrationView(): VNode {
  const certificates = useResource<Page<RegistrationCertificate>>('registration_certificates');
  const configurations = useResource<Page<Configuration>>('credential_configurations');
  return (
    <>
      <h1>Registration</h1>
      <ResourceView resource={certificates}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="nothing">There is no registration certificate: nothing is compared with what is registered.</p>
          ) : (
            items.map((one) => <Certificate key={one.certificateId} certificate={one} />)
          )
        }
      </ResourceView>
      <h2>Offered without being registered</h2>
      <ResourceView resource={configurations}>
        {({ items }) => (
          <Rows
            items={items.filter(({ registered }) => registered === false)}
            nothing={
              items.some(({ registered }) => registered === true)
                ? 'Every type that is offered is registered.'
                : 'Nothing is compared: no certificate is that of the issuer, or nothing is offered.'
            }
          >
            {({ id, templateId, format }) => (
              <Row
                key={id}
                title={id}
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
          ['certificate', source === 'file' ? `file ${certificateId}` : certificateId],
          ['fault', fault && `${fault.found}: ${fault.remedy}`],
          ['ends', expiresAt === undefined ? undefined : <Moment at={expiresAt} />],
          ['status list', status],
          ['party', party],
          ['intermediary', intermediary],
          ['intended use', intendedUseId],
          ['purpose', purpose.map(({ value }) => value)],
          ['may ask for', credentials.map(textOf)],
          ['may issue', attestations.map(textOf)],
          ['entitlements', entitlements],
        ]}
      />
    </section>
  );
}

/** `dc+sd-jwt urn:eudi:pid:1: given_name, address/locality` */
function textOf({ format, types, claims }: NonNullable<RegistrationCertificate['credentials']>[number]): string {
  const type = types.length === 0 ? 'any type' : types.map((names) => names.join(' + ')).join(' or ');
  const paths = claims?.map(({ path }) => path.map((step) => step ?? '*').join('/'));
  return `${format} ${type}: ${paths ? paths.join(', ') || 'no claim' : 'all claims'}`;
}
