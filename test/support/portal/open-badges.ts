/** A valid achievement of Open Badges 3.0, the subject that has it, and the credential. */
export const achievement = {
  id: 'https://badges.example/achievements/teamwork',
  type: ['Achievement'],
  name: 'Teamwork',
  description: 'Works well in a team',
  criteria: { narrative: 'Three projects with others' },
};
export const subject = { type: ['AchievementSubject'], achievement };
export const badge = { id: 'https://badges.example/credentials/1', credentialSubject: subject };
