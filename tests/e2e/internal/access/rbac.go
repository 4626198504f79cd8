// Package access gives an exporter its identity: service accounts, their RBAC
// rules, and kubeconfig files of every kind.
package access

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"kube-events-exporter/tests/e2e/internal/poll"
)

// The API groups that serve Events.
const (
	CoreGroup   = ""
	EventsGroup = "events.k8s.io"
)

// Account is a user or service account that may be granted rights.
type Account struct {
	Subject rbacv1.Subject
	// Token authenticates a service account; empty for a user.
	Token string

	client kubernetes.Interface
}

// NewServiceAccount creates an account without rights and a token for it.
func NewServiceAccount(ctx context.Context, client kubernetes.Interface, namespace, name string) (*Account, error) {
	meta := metav1.ObjectMeta{Namespace: namespace, Name: name}
	accounts := client.CoreV1().ServiceAccounts(namespace)
	if _, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta}, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	return ExistingServiceAccount(ctx, client, namespace, name)
}

// ExistingServiceAccount returns an account that is there, with a token.
func ExistingServiceAccount(
	ctx context.Context, client kubernetes.Interface, namespace, name string,
) (*Account, error) {
	subject := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}
	account := &Account{Subject: subject, client: client}
	accounts := client.CoreV1().ServiceAccounts(namespace)
	token, err := accounts.CreateToken(ctx, name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	account.Token = token.Status.Token
	return account, nil
}

// NewUser names a user that authenticates by certificate.
func NewUser(client kubernetes.Interface, name string) *Account {
	subject := rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name}
	return &Account{Subject: subject, client: client}
}

// GrantCluster allows list and watch of Events everywhere, in one API group
// only, and returns when the API server honours it.
func (a *Account) GrantCluster(ctx context.Context, group string) error {
	name := a.roleName(group)
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: readEvents(group)}
	if _, err := a.client.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return err
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Subjects:   []rbacv1.Subject{a.Subject},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
	}
	if _, err := a.client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return err
	}
	return a.WaitUntilAllowed(ctx, "", group)
}

// GrantNamespace allows list and watch of Events in one namespace, in one API
// group only, and returns when the API server honours it.
func (a *Account) GrantNamespace(ctx context.Context, namespace, group string) error {
	meta := metav1.ObjectMeta{Namespace: namespace, Name: a.roleName(group)}
	role := &rbacv1.Role{ObjectMeta: meta, Rules: readEvents(group)}
	if _, err := a.client.RbacV1().Roles(namespace).Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return err
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: meta,
		Subjects:   []rbacv1.Subject{a.Subject},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
	}
	if _, err := a.client.RbacV1().RoleBindings(namespace).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return err
	}
	return a.WaitUntilAllowed(ctx, namespace, group)
}

// WaitUntilAllowed returns when the account may list and watch Events. The API
// server sees new rules through caches, so a little after they were written.
func (a *Account) WaitUntilAllowed(ctx context.Context, namespace, group string) error {
	return poll.Until(ctx, 20*time.Second, func(ctx context.Context) error {
		for _, verb := range []string{"list", "watch"} {
			if err := a.allowed(ctx, verb, namespace, group); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a *Account) allowed(ctx context.Context, verb, namespace, group string) error {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: a.user(),
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: verb, Group: group, Resource: "events", Namespace: namespace,
		},
	}}
	answer, err := a.client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if !answer.Status.Allowed {
		return fmt.Errorf("%s may not %s events of group %q in %q yet", a.user(), verb, group, namespace)
	}
	return nil
}

func (a *Account) user() string {
	if a.Subject.Kind == rbacv1.UserKind {
		return a.Subject.Name
	}
	return "system:serviceaccount:" + a.Subject.Namespace + ":" + a.Subject.Name
}

func (a *Account) roleName(group string) string {
	name := "e2e-" + a.Subject.Name + "-core"
	if group != CoreGroup {
		name = "e2e-" + a.Subject.Name + "-" + group
	}
	return name + a.Subject.Namespace
}

func readEvents(group string) []rbacv1.PolicyRule {
	rule := rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"events"}, Verbs: []string{"list", "watch"}}
	return []rbacv1.PolicyRule{rule}
}
