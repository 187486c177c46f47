/**
 * The most common leaked passwords, in lowercase: those of twelve characters and more, and shorter ones that people pad with digits and symbols
 * to reach a length. Keyboard sequences and repetitions are found by rule (password-rules.ts).
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `password passw0rd p@ssword p@ssw0rd passwort motdepasse contrasena contraseña parola haslo passwordpassword password1password
   mypassword yourpassword newpassword thepassword thisismypassword mysecretpassword password123password changeme changemenow changeit
   letmein letmeinnow letmeinplease letmeinletmein iamthebest iloveyou iloveyousomuch iloveyouforever ilovemyself ilovemyfamily
   ilovemyfather ilovemymother iloveyou1234iloveyou welcome welcomehome welcometotheparty administrator administration adminadmin
   adminadminadmin admin123admin rootrootroot superuser superman supermansuperman spiderman batmanbatman startrek starwars pokemon
   qwerty qwertyuiop qwertyqwerty qwerty123qwerty qwertyuiopasdf asdfghjkl asdfasdfasdf zxcvbnmasdfg qweasdzxc 123qweasdzxc
   123qweasd123 qazwsxedc qazwsxedcrfv 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1q2w3e4r5t6y7u8i q1w2e3r4t5y6 1qazxsw2 1qazxsw23edc
   1qaz2wsx3edc zaq12wsx zaq12wsxcde3 a1b2c3d4e5f6 abc123abc123 abcd1234abcd aa123456aa12 monkey monkeymonkey dragon dragonball
   dragondragon football footballfootball baseball basketball liverpool manchesterunited manunited chelsea barcelona realmadrid
   sunshine sunshinesunshine princess princessprincess butterfly strawberry chocolate blink182blink182 michaeljackson harrypotter
   hellokitty helloworld hellohellohello computer computercomputer internet trustno1 trustno1trustno1 whatever secret
   secretsecret topsecret blahblahblah jesuschrist jesusislord jesuslovesme jesusjesus godisgood godisgreat godblessyou lovelove
   lovelovelove loveyouforever fuckyou fuckyoufuckyou 0987654321qwerty 123456789abc 123456789qwerty qwerty123456789 abc123456789
   unbelievable correcthorsebatterystaple correct-horse-battery-staple`.split(/\s+/),
);
