// Checks the subjects of the commits since the rule was introduced: `type(scope): summary`, at most 72 characters.
// Prints violations and how to fix them. Passes if the clone has no history or doesn't reach back far enough.
import { spawnSync } from 'node:child_process';

const BASE = process.argv[2] ?? '4361e94';
const LONGEST = 72;
const TYPES = ['build', 'chore', 'ci', 'docs', 'feat', 'fix', 'perf', 'refactor', 'revert', 'style', 'test'];
const FORM = new RegExp(`^(?:${TYPES.join('|')})(?:\\([a-z0-9./-]+\\))?!?: (\\S.*)$`);

if (git('merge-base', '--is-ancestor', BASE, 'HEAD') === undefined) {
  console.log(`commit subjects not checked: this clone doesn't contain ${BASE}`);
  process.exit(0);
}
const commits = (git('log', '--no-merges', '--format=%h %s', `${BASE}..HEAD`) ?? '').split('\n').filter(Boolean);
const offending = commits.flatMap((commit) => {
  const faults = faultsOf(commit.slice(commit.indexOf(' ') + 1));
  return faults.length > 0 ? [`${commit}\n  ${faults.join('; ')}`] : [];
});
console.log(`${commits.length} commit subjects checked, ${offending.length} to change`);
if (offending.length > 0) {
  console.log(
    `${offending.join('\n')}\nReword them: git rebase -i ${BASE}, "reword" for each, and move the reason into the body.`,
  );
  process.exitCode = 1;
}

function faultsOf(subject) {
  const summary = FORM.exec(subject)?.[1];
  return [
    ...(subject.length > LONGEST ? [`${subject.length} characters, at most ${LONGEST}`] : []),
    ...(summary === undefined ? [`not "type(scope): summary" with a type of ${TYPES.join(', ')}`] : []),
    ...(subject.endsWith('.') ? ['ends with a period'] : []),
  ];
}

/** The output of git; undefined if it fails, for example because there is no repository. */
function git(...words) {
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
