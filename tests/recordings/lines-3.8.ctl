%begin 1796082455 315 0
%end 1796082455 315 0
%session-changed $0 0
%output %0 \033[32mgreen\033[0m and plain\015\012
%output %0 \015progress 0%
%output %0 \015progress 20%
%output %0 \015progress 40%
%output %0 \015progress 60%
%output %0 \015progress 80%
%output %0 \015progress 100%
%output %0 \015\033[Kdone\015\012
%window-renamed @0 python3
%output %0 café 
%output %0 界面
%output %0 \015\012
%output %0 \033]0;a title\007tabs\011and \134 backslash\015\012
%output %0 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx wrapped\015\012
%output %0 \033]2;the-end\007
%begin 1796082455 339 1
green and plain
done
café 界面
tabs	and \ backslash
xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
xxxxxxxxxxxxxxxxxxxx wrapped


















%end 1796082455 339 1
%begin 1796082455 340 1
can't find pane: %99
%error 1796082455 340 1
%exit
