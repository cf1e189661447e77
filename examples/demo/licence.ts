const space = 'org.iso.18013.5.1';
const text = { type: 'string', maxLength: 150 };
const date = { type: 'string', format: 'date' };
const bytes = { type: 'string', contentEncoding: 'base64' };

const properties = {
  family_name: { ...text, title: 'Family name' },
  given_name: { ...text, title: 'Given name' },
  birth_date: { ...date, title: 'Date of birth' },
  issue_date: { ...date, title: 'Issued on' },
  expiry_date: { ...date, title: 'Valid until' },
  issuing_country: { ...text, title: 'Country' },
  issuing_authority: { ...text, title: 'Authority' },
  document_number: { ...text, title: 'Number' },
  portrait: { ...bytes, title: 'Portrait' },
  driving_privileges: {
    type: 'array',
    title: 'Driving privileges',
    items: {
      type: 'object',
      properties: { vehicle_category_code: text, issue_date: date, expiry_date: date },
      required: ['vehicle_category_code'],
      additionalProperties: false,
    },
  },
  un_distinguishing_sign: { ...text, title: 'Distinguishing sign' },
  age_over_18: { type: 'boolean', title: 'Is 18 or older' },
};

/** A mobile driving licence (ISO/IEC 18013-5): all elements that have to be there, and one that tells an age only. */
export const licence = {
  templateId: 'licence',
  title: 'Driving licence',
  format: 'mso_mdoc',
  doctype: 'org.iso.18013.5.1.mDL',
  schema: {
    type: 'object',
    properties: {
      [space]: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
    },
    required: [space],
    additionalProperties: false,
  },
};

/** What the portal knows of the driver. The picture has one pixel. */
export const driver = {
  [space]: {
    family_name: 'Example',
    given_name: 'Ada',
    birth_date: '1990-12-10',
    issue_date: '2026-01-15',
    expiry_date: '2041-01-14',
    issuing_country: 'UT',
    issuing_authority: 'Road office of Utopia',
    document_number: '123456789',
    portrait: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
    driving_privileges: [{ vehicle_category_code: 'B', issue_date: '2026-01-15', expiry_date: '2041-01-14' }],
    un_distinguishing_sign: 'UTO',
    age_over_18: true,
  },
};

export const ofAge = {
  id: 'licence',
  format: 'mso_mdoc',
  meta: { doctype_value: licence.doctype },
  claims: [{ path: [space, 'age_over_18'], intent_to_retain: false }],
};
