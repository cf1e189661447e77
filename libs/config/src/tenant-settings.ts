import { perTenant, type Tenant } from '@app/primitives/context';
import { closestOf, isJsonObject, type JsonValue } from '@app/primitives/json';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { AuthorizationSettings } from './authorization-settings';
import { CredentialConfigurationsSettings, IssuerSettings, VerificationSettings } from './credential-settings';
import { IdentificationSettings } from './identification-settings';
import { classOf } from './reading';
import { ManagementSettings } from './service-settings';
import { describeSettings, type SettingDescription } from './setting';
import { Settings } from './settings';
import { SettingsError, type SettingsFault } from './settings-error';

/** Sections of which a tenant may have settings of its own, without secrets and without what names a file of this machine. */
const ownSections = ['issuer', 'pages', 'statusLists', 'issuance', 'verification', 'mail'] as const;
/** Of the relay, which is the service's. */
const ofOwnMail = ['from', 'replyTo'];
const ofThisMachine = ['verifierInfoFile'];
/** As its address ends. */
export const pictureName = /^[0-9a-f]{64}\.(png|jpg|webp)$/;

/** What a tenant may set, as `GET /v0/configuration` names it. */
export const tenantSettings: readonly SettingDescription[] = describeSettings(Settings).filter(
  ({ path: [section = '', member = ''], secret }) =>
    ownSections.some((own) => own === section) &&
    !ofThisMachine.includes(member) &&
    secret !== true &&
    (section !== 'mail' || ofOwnMail.includes(member)),
);

/**
 * The settings of a tenant: those of the service, but for its address, what it has set, and what lets persons or portals of
 * another issuer in. Throws `SettingsError`, in which each fault is named by its place: `issuer.displayName`.
 * @param written an object of sections, each an object of settings
 */
export function settingsOfTenant(service: Settings, applicationUrl: string, written: JsonValue): Settings {
  const faults: SettingsFault[] = [];
  const values = isJsonObject(written) ? written : {};
  if (!isJsonObject(written)) faults.push({ name: 'settings', found: classOf(written), remedy: 'give an object' });
  const known = [...new Set(tenantSettings.map(({ path: [section = ''] }) => section))];
  for (const [section, members] of Object.entries(values)) {
    const names = tenantSettings.flatMap(({ path: [of, name = ''] }) => (of === section ? [name] : []));
    if (names.length === 0) faults.push(unknown(section, known));
    else if (!isJsonObject(members)) faults.push({ name: section, found: classOf(members), remedy: 'give an object' });
    else {
      for (const name of Object.keys(members)) {
        if (!names.includes(name))
          faults.push(
            unknown(
              `${section}.${name}`,
              names.map((one) => `${section}.${one}`),
            ),
          );
      }
    }
  }
  const base = commonOf(service);
  const sections = ownSections.flatMap((section) => {
    const own = values[section];
    if (!isJsonObject(own)) return [];
    const given = { ...(base[section] as object), ...own };
    const type = service[section].constructor as new () => object;
    const made = plainToInstance(type, given, { exposeDefaultValues: true });
    for (const { property, value, constraints } of validateSync(made, { stopAtFirstError: true })) {
      const remedy = Object.values(constraints ?? {}).join('; ');
      faults.push({ name: `${section}.${property}`, found: classOf(value), remedy });
    }
    if (made instanceof IssuerSettings && made.logo !== '' && !pictureName.test(made.logo)) {
      const remedy = 'give the end of the address of a picture that was sent to POST /v0/images of the tenant';
      faults.push({ name: 'issuer.logo', found: classOf(made.logo), remedy });
    }
    return [[section, made] as const];
  });
  if (faults.length > 0) throw new SettingsError(faults);
  return Object.assign(Object.create(base) as Settings, { ...Object.fromEntries(sections), applicationUrl });
}

const common = new WeakMap<Settings, Settings>();

/** What the settings of all tenants have in common, which each has by inheritance: a thousand take little more memory than one. */
function commonOf(service: Settings): Settings {
  const known = common.get(service);
  if (known !== undefined) return known;
  const made = Object.assign(Object.create(Settings.prototype) as Settings, service, {
    management: Object.assign(new ManagementSettings(), { console: service.management.console }),
    credentialConfigurations: Object.assign(new CredentialConfigurationsSettings(), { path: '' }),
    authorization: Object.assign(new AuthorizationSettings(), service.authorization, { clientsFile: '' }),
    identification: new IdentificationSettings(),
    // The logo and the attestations of the service itself are about no tenant.
    issuer: Object.assign(new IssuerSettings(), service.issuer, { logo: '' }),
    verification: Object.assign(new VerificationSettings(), service.verification, { verifierInfoFile: '' }),
  });
  common.set(service, made);
  return made;
}

function unknown(name: string, known: readonly string[]): SettingsFault {
  const close = closestOf(name, known);
  const remedy = close === undefined ? `use one of: ${known.join(', ')}` : `did you mean ${close}?`;
  return { name, found: 'a setting that tenants do not have', remedy };
}

const ofTenants = new WeakMap<Tenant, Settings>();

/** Says which settings a tenant has, before work is done in its name. */
export function giveSettings(tenant: Tenant, settings: Settings): void {
  ofTenants.set(tenant, settings);
}

/** The settings of the issuer at hand. @param own of the service */
export function settingsAtHand(own: Settings): Settings {
  return perTenant(own, (tenant) => {
    const settings = ofTenants.get(tenant);
    if (settings === undefined) throw new Error(`The tenant ${tenant.id} was not opened.`);
    return settings;
  });
}
